"""Tools that the model may call, and the consent of the person they need."""
