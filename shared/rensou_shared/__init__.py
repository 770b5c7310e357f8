"""What both services mean by the same word."""
