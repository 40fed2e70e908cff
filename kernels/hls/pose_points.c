/* Points of a scan moved into the frame of a map: structures with arrays in them, one of them by value. */
#define N 256

struct pose {
  float turn[2][2];
  struct { float x, y; } shift;
};
struct point {
  float at[2];
  int valid;
};

void pose_points(struct point points[N], struct pose pose)
{
  for (int n = 0; n < N; n++) {
    struct point p = points[n];
    if (!p.valid) continue;
    points[n].at[0] = pose.turn[0][0] * p.at[0] + pose.turn[0][1] * p.at[1] + pose.shift.x;
    points[n].at[1] = pose.turn[1][0] * p.at[0] + pose.turn[1][1] * p.at[1] + pose.shift.y;
  }
}
