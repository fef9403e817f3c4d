using System.Security.Cryptography;

namespace Workflow.Engine.Commands;

/// <summary>
/// The hash by which two requests with the same idempotency key are compared. JSON is compared by value: the order of
/// members and the notation of numbers do not matter.
/// </summary>
internal static class RequestHash
{
    private const int Length = 32;

    /// <returns>Null without a key.</returns>
    public static string? Of(string? idempotencyKey, params ReadOnlySpan<string?> parts) =>
        idempotencyKey is null ? null : Hash(Joined(parts));

    /// <returns>Null without a key. If the JSON is not canonical, a blank and the hash of the JSON as sent follow, so
    /// that keys stored with that hash are recognised.</returns>
    public static string? Of(string? idempotencyKey, Value value, params ReadOnlySpan<string?> parts)
    {
        if (idempotencyKey is null)
        {
            return null;
        }

        var (others, canonical, sent) = (Joined(parts), value.ToCanonicalJson(), value.ToJsonElement().GetRawText());
        var hash = Hash(others + Joined(canonical));
        return canonical == sent ? hash : $"{hash} {Hash(others + Joined(sent))}";
    }

    /// <summary>Whether the key was stored for the same request.</summary>
    public static bool Matches(string stored, string? request) =>
        request is not null
        && (stored == Stored(request) || (request.Length > Length && request.AsSpan(Length + 1).SequenceEqual(stored)));

    /// <summary>The part of the hash that is stored with the key.</summary>
    public static string Stored(string request) => request.Length > Length ? request[..Length] : request;

    private static string Joined(params ReadOnlySpan<string?> parts)
    {
        var text = new StringBuilder();
        foreach (var part in parts)
        {
            text.Append(part?.Length ?? -1).Append(':').Append(part).Append('|');
        }

        return text.ToString();
    }

    private static string Hash(string text) =>
        Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(text)))[..Length];
}
