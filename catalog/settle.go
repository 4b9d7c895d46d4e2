package catalog

import "context"

type settlerKey struct{}

// WithSettler returns a context whose statement is asked before it commits a release:
// an error of settle ends it, and nothing is stored. After nil, settle's owner must
// not end the statement any more.
func WithSettler(ctx context.Context, settle func(context.Context) error) context.Context {
	return context.WithValue(ctx, settlerKey{}, settle)
}

// settle is the last step of a transaction that a client waits for.
func settle(ctx context.Context) error {
	if settle, ok := ctx.Value(settlerKey{}).(func(context.Context) error); ok {
		return settle(ctx)
	}
	return ctx.Err()
}
