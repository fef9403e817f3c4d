namespace PerformanceTesting.Backends;

/// <summary>Programs that somebody installed.</summary>
internal static class InstalledProgram
{
    /// <summary>Finds a program on PATH, then in other places.</summary>
    /// <returns>Null when there is none; on Windows none is looked for.</returns>
    public static string? Find(string name, params IReadOnlyList<string> otherPlaces) => OperatingSystem.IsWindows()
        ? null
        : (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
            .Concat(otherPlaces).Select(directory => Path.Combine(directory, name)).FirstOrDefault(File.Exists);
}
