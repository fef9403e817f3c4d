namespace Foundation;

/// <summary>The address of an OpenTelemetry collector, as a setting has it.</summary>
public static class CollectorAddress
{
    /// <summary>Null where it is no http or https address, or has a user, a query or a fragment.</summary>
    public static Uri? Parse(string text) =>
        Uri.TryCreate(text, UriKind.Absolute, out var address) && address.Scheme is "http" or "https"
            && address is { UserInfo: "", Query: "", Fragment: "", Host.Length: > 0 } ? address : null;

    /// <summary>What was set, for a message that says it is wrong.</summary>
    public static string Quote(string text) =>
        // Whatever stands before an at sign or behind a question mark may be a secret.
        text.AsSpan().ContainsAny('@', '?') ? "not shown, as it may hold a secret" : $"'{text}'";
}
