"""Tools for the files of a workspace, and what keeps them inside it."""
