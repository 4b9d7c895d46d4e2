package planner

// Release is the name of the release that is asked.
func (e *Estimate) Release() string { return e.view.Record().Name }
