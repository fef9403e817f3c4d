using System.Text.RegularExpressions;

namespace Foundation;

/// <summary>
/// Explains why a text is not the expected JSON, to the author of the text. The messages of System.Text.Json address
/// the caller of the library: they name .NET types and reader options.
/// </summary>
public static partial class JsonReason
{
    /// <summary>Parts of the library's messages, and what to tell the author instead.</summary>
    private static readonly (string Part, string Reason)[] Reasons =
    [
        ("trailing comma", "a comma stands before a closing bracket; remove it."),
        ("maximum configured depth", "lists and objects nest beyond a depth of 64."),
        ("does not contain any JSON tokens", "it is empty, or has blanks alone."),
        ("Expected depth to be zero", "it ends before its last bracket is closed."),
        ("reached end of data", "it ends within a value."),
        ("Expected end of string", "it ends within a text in quotes."),
        ("within a JSON string", "a text has a control character; write it as an escape, e.g. \\n or \\u0001."),
        ("invalid UTF-8", "a text is not valid UTF-8."),
        ("UTF-16 JSON text", "a text has half a surrogate pair (\\uD800 to \\uDFFF); write both halves, or none."),
    ];

    /// <param name="exception">Thrown by System.Text.Json when reading or deserializing.</param>
    /// <returns>The reason without its position, to follow a colon; ends with a full stop.</returns>
    public static string Of(Exception exception)
    {
        var message = Position().Replace(exception.Message, "");
        if (Conversion().Match(message) is { Success: true } conversion)
        {
            return $"The value is not {Kind(conversion.Groups[1].Value)}.";
        }

        if (Missing().Match(message) is { Success: true } missing)
        {
            return $"The document lacks {missing.Groups[1].Value}.";
        }

        foreach (var (part, reason) in Reasons)
        {
            if (message.Contains(part, StringComparison.Ordinal))
            {
                return reason;
            }
        }

        return message.Replace(" Change the reader options.", "", StringComparison.Ordinal);
    }

    private static string Kind(string type) => type switch
    {
        "System.Int32" or "System.Int64" => "a whole number within its range",
        "System.Double" or "System.Single" or "System.Decimal" => "a number",
        "System.Boolean" => "true or false",
        "System.String" => "a text",
        _ when type.Contains("DateTime", StringComparison.Ordinal) => "an instant such as 2026-11-28T21:30:00Z",
        _ when type.Contains("Nullable`1[System.", StringComparison.Ordinal) => Kind(type.Split('[', ']')[1]),
        _ => "of the kind that belongs there",
    };

    [GeneratedRegex(@"\s+(Path: .*?\| )?LineNumber: [0-9]+ \| BytePositionInLine: [0-9]+\.$", RegexOptions.Singleline)]
    private static partial Regex Position();

    [GeneratedRegex(@"^The JSON value could not be converted to (.*?)\.?$", RegexOptions.Singleline)]
    private static partial Regex Conversion();

    [GeneratedRegex(
        @"^JSON deserialization for type '.*' was missing required properties including: (.*?)\.?$",
        RegexOptions.Singleline)]
    private static partial Regex Missing();
}
