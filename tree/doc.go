// Package tree has what the engine's trees of nodes and expressions need where the
// engine's own helpers fall short.
//
// Principles:
//
//  1. A walk reaches everything that a statement would execute: sources of INSERT,
//     described queries and subqueries too ([Inspect]).
//  2. What is rebuilt keeps the ids under which others refer to it ([Rebuild],
//     [Transform], [TransformExpressions]).
//  3. Nodes and expressions of our own embed what they have in common: [Leaf], [Atom],
//     [Unary], [Nary]. These check the number of children, as the engine asks for it.
//  4. What has one value for a statement is computed once ([EvaluateOnce], [TimesOfTexts]), and
//     fails where it did.
//  5. Whether two expressions are one is decided in one place ([Same]).
//
// Not promised: that an expression is evaluated, or that a node runs. The room knows
// the engine alone: no release, no catalog, no view.
package tree
