// Package generalization is the vocabulary of the methods that publish less
// specific values: attributes as places on a line, the cells that stand for the
// values of an equivalence class, their penalty, and the release that comes of
// classes and groups.
//
// Principles:
//
//  1. Every quasi-identifier is a line of places ([Attribute]): numbers by their
//     size, ordinal values by their order, semantic ones by a walk through their
//     taxonomy, nominal ones by their name. Methods cut lines; they do not look
//     at values.
//  2. The cell of a class ([Attribute.Generalize]) is tight: an interval's ends, a
//     set's members occur in it. A taxonomy names parts of sets ([NewSetAttribute]);
//     where its nodes are to be the cells ([NewAttribute]), it is the lowest above the
//     values. A level of the whole domain ([Attribute.Levels]) is as wide as it is.
//  3. A cell is a distribution over published values, and a dictionary must not say
//     which values occur: the dictionary of a column of whole numbers or decimals is
//     all of them from the least to the greatest ([anonymize.Listing]), that of a
//     taxonomy all its leaves. Where these are too many, a taxonomy of intervals has
//     points of its intervals, and a place is such an interval
//     ([anonymize.Taxonomy.Spanning]). Without one the dictionary has the values that
//     occur, and [Facts] warn of it; see [Attribute.Listed].
//  4. The normalized certainty penalty (NCP) is one function of a cell
//     ([Attribute.Penalty]), used to choose and to report.
//
// Source of the cells and the penalty: LeFevre et al., Mondrian Multidimensional
// k-Anonymity, ICDE 2006; Xu et al., Utility-Based Anonymization Using Local
// Recoding, KDD 2006 (NCP).
//
// Cost: O(rows) per attribute for the places and for the cells of a partition.
package generalization
