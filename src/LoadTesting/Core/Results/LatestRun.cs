namespace LoadTesting.Core.Results;

/// <summary><c>latest</c> beside the runs: a link to the newest, or a copy of it where links cannot be made.</summary>
internal static class LatestRun
{
    private const string Name = "latest";

    public static void PointTo(RunDirectory run)
    {
        var results = Path.GetDirectoryName(run.FullPath)!;
        var latest = Path.Combine(results, Name);
        if (IsLinkTo(latest, run.Name))
        {
            return;
        }

        if (!TryLink(results, latest, run.Name))
        {
            Copy(run.FullPath, latest);
        }
    }

    /// <summary>Replaces the copy in one rename, so that a reader never finds half of it.</summary>
    internal static void Copy(string from, string latest)
    {
        var fresh = latest + ".new";
        Remove(fresh);
        foreach (var file in Directory.EnumerateFiles(from, "*", SearchOption.AllDirectories)
            .Where(file => !file.EndsWith(".tmp", StringComparison.Ordinal)))
        {
            var target = Path.Combine(fresh, Path.GetRelativePath(from, file));
            Directory.CreateDirectory(Path.GetDirectoryName(target)!);
            File.Copy(file, target);
        }

        Remove(latest);
        Directory.Move(fresh, latest);
    }

    private static bool IsLinkTo(string latest, string name) => new DirectoryInfo(latest).LinkTarget == name;

    private static bool TryLink(string results, string latest, string name)
    {
        try
        {
            Remove(latest);
            Directory.CreateSymbolicLink(latest, name);
            return true;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException
            or PlatformNotSupportedException)
        {
            // Links need a privilege on Windows and are missing on some file systems. A link that another run made
            // meanwhile is as good.
            return new DirectoryInfo(Path.Combine(results, Name)).LinkTarget is not null;
        }
    }

    private static void Remove(string path)
    {
        var directory = new DirectoryInfo(path);
        if (directory.LinkTarget is not null)
        {
            directory.Delete();
        }
        else if (directory.Exists)
        {
            directory.Delete(recursive: true);
        }
    }
}
