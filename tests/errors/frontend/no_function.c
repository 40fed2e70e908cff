static const int N = 10;
typedef float row[10];
