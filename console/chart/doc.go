// Package chart draws the figures of an answer, each with its interval: bars, lines over dates and numbers, a map of two keys.
//
//  1. What is drawn has its error drawn with it, and is said with the digits that its error deserves ([Said]).
//  2. A drawing is shapes with places in pixels, in a wide and in a narrow form: no style and no script is needed to place them, and a file
//     of it looks as it does in the page.
//  3. An answer of any length up to that of a page has a drawing; nothing is left out silently.
//
// It knows neither SQL nor HTML.
package chart
