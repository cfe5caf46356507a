"""What `holdfast doctor` looks at, one module for each thing that can be wrong."""
