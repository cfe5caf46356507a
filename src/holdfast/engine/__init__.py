"""What every host calls: conversations with an agent, and what there is to see of them."""
