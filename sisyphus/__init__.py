"""From an affine C kernel to a verified HLS design."""
