namespace PerformanceTesting.Backends;

/// <summary>What a server says of itself, so that a result is never credited to settings that were only asked for.</summary>
/// <param name="Version">Server version, e.g. <c>15.18</c>.</param>
/// <param name="Settings">Name to value with unit, as the server gives it to the session that was asked.</param>
/// <param name="Shortfalls">What may lose acknowledged work when the power fails, e.g. <c>fsync=off</c>; none when the server is durable.</param>
public sealed record SettingsReadBack(string Version, IReadOnlyDictionary<string, string> Settings, IReadOnlyList<string> Shortfalls)
{
    /// <summary>The class of a server that loses nothing it acknowledged when the power fails.</summary>
    public const string Durable = "durable";

    /// <summary><see cref="Durable"/>, or <c>not durable: fsync=off</c> with every shortfall. Unlike classes are never ranked.</summary>
    public string Durability => Shortfalls.Count == 0 ? Durable : $"not durable: {string.Join(", ", Shortfalls)}";

    public bool IsDurable => Shortfalls.Count == 0;
}
