using Foundation;

namespace PerformanceTesting.Backends;

/// <summary>
/// What a server says of itself, so that a result is never credited to settings that were only asked for.
/// </summary>
/// <param name="Version">Server version, e.g. <c>15.18</c>.</param>
/// <param name="Settings">Name to value with unit, as the server gives it to the session that was asked.</param>
/// <param name="Shortfalls">
/// Settings that may lose acknowledged work when the power fails, e.g. <c>fsync=off</c>; none when the server is set to
/// be durable.
/// </param>
public sealed record SettingsReadBack(
    string Version, IReadOnlyDictionary<string, string> Settings, IReadOnlyList<string> Shortfalls)
{
    /// <summary>The setting that holds the type of the file system that the server's data are on.</summary>
    public const string FileSystem = "file_system";

    /// <summary>The class of a server that loses nothing it acknowledged when the power fails.</summary>
    public const string Durable = "durable";

    /// <summary>
    /// <see cref="Durable"/>, or <c>not durable: fsync=off</c> with every shortfall. Unlike classes are never ranked.
    /// </summary>
    public string Durability => IsDurable ? Durable : $"not durable: {string.Join(", ", AllShortfalls)}";

    public bool IsDurable => !AllShortfalls.Any();

    /// <summary>A server whose data are in memory is as little durable, whatever it is set to.</summary>
    private IEnumerable<string> AllShortfalls =>
        Settings.GetValueOrDefault(FileSystem) is { } type && FileSystems.IsInMemory(type)
            ? Shortfalls.Append($"data in memory ({type})")
            : Shortfalls;
}
