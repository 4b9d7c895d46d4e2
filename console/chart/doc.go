// Package chart draws the figures of an answer, each with its interval: bars, lines over dates and numbers, a map of two keys.
//
//  1. Every figure is drawn with its error, and printed with the digits that its error justifies ([Said]).
//  2. A drawing consists of shapes with positions in pixels, in a wide and a narrow form. It needs no style and no script, so a saved file
//     looks like the page.
//  3. Every answer that fits a page has a drawing; nothing is omitted silently.
//
// It knows neither SQL nor HTML.
package chart
