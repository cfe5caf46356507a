"""What goes over a wire between a gateway and those who talk to it."""
