"""Makes the helpers of this folder importable by every test; pytest puts the folder of a conftest on the path."""
