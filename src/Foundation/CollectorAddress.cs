namespace Foundation;

/// <summary>The address of an OpenTelemetry collector in a setting.</summary>
public static class CollectorAddress
{
    /// <summary>
    /// Parses an http or https address. Null if the text is anything else, or has a user, a query or a fragment.
    /// </summary>
    public static Uri? Parse(string text) =>
        Uri.TryCreate(text, UriKind.Absolute, out var address) && address.Scheme is "http" or "https"
            && address is { UserInfo: "", Query: "", Fragment: "", Host.Length: > 0 } ? address : null;

    /// <summary>Quotes the setting for an error message.</summary>
    public static string Quote(string text) =>
        // The text before an at sign or after a question mark may be a secret.
        text.AsSpan().ContainsAny('@', '?') ? "not shown, as it may hold a secret" : $"'{text}'";
}
