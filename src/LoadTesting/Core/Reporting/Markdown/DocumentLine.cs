namespace LoadTesting.Core.Reporting.Markdown;

/// <summary>A line of a <see cref="DocumentTemplate"/>.</summary>
/// <param name="Number">Its number, from 1.</param>
/// <param name="Text">The line as it stands.</param>
/// <param name="Directive">What it asks for, e.g. <c>summary</c>; null when it is text.</param>
/// <param name="Patterns">The scenarios it asks for; every one when empty.</param>
internal sealed record DocumentLine(int Number, string Text, string? Directive, IReadOnlyList<string> Patterns);
