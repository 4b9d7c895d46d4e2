// Package tree has helpers for the engine's trees of nodes and expressions where the engine's own fall short.
//
// Principles:
//
//  1. A walk reaches everything that a statement would execute, including sources of
//     INSERT, described queries and subqueries ([Inspect]).
//  2. Rebuilt nodes keep the ids by which others refer to them ([Rebuild], [Transform],
//     [TransformExpressions]).
//  3. Our own nodes and expressions embed [Leaf], [Atom], [Unary] or [Nary]. These
//     check the number of children, as the engine requires.
//  4. An expression that is constant for a statement is computed once ([EvaluateOnce],
//     [TimesOfTexts]), and fails where it failed before.
//  5. One function decides whether two expressions are the same ([Same]).
//
// It does not promise that an expression is evaluated, or that a node runs. The package
// knows only the engine: no release, no catalog, no view.
package tree
