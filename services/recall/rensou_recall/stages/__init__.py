"""Pure computations: no waiting, no clock, no chance. A stage never calls the next stage."""
