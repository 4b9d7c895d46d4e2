// Package generalization has the common parts of methods that publish less specific
// values: attributes as places on a line, the cells that stand for the values of an
// equivalence class, their penalty, and the release made of classes and groups.
//
// Principles:
//
//  1. Every quasi-identifier is a line of places ([Attribute]): numbers by their size,
//     ordinal values by their order, semantic ones by a walk through their taxonomy,
//     nominal ones by their name. Methods cut lines and do not look at values.
//  2. The cell of a class ([Attribute.Generalize]) is tight: the ends of an interval and the
//     members of a set occur in the class. A taxonomy names parts of sets ([NewSetAttribute]).
//     If its nodes are the cells ([NewAttribute]), the cell is the lowest node above the values.
//     Only the cells of a level of the whole domain ([Attribute.Levels]) have a fixed width.
//  3. A cell is a distribution over published values, and a dictionary must not say
//     which values occur: the dictionary of a column of whole numbers or decimals is
//     all of them from the least to the greatest ([anonymize.Listing]), that of a
//     taxonomy all its leaves. Where these are too many, a taxonomy of intervals has
//     points of its intervals, and a place is such an interval
//     ([anonymize.Taxonomy.Spanning]). Without one the dictionary has the values that
//     occur, and [Facts] warn of it; see [Attribute.Listed].
//  4. The normalized certainty penalty (NCP) is one function of a cell
//     ([Attribute.Penalty]), used both for choices and in reports.
//
// Source of the cells and the penalty: LeFevre et al., Mondrian Multidimensional
// k-Anonymity, ICDE 2006; Xu et al., Utility-Based Anonymization Using Local
// Recoding, KDD 2006 (NCP).
//
// Cost: O(rows) per attribute for the places and for the cells of a partition.
package generalization
