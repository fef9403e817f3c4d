namespace LoadTesting.Core.Results;

/// <summary>
/// A directory of accepted baselines, one machine class each. Its files are named after their runs
/// (<c>utc-commit.json</c>), are added and never changed.
/// </summary>
/// <param name="directory">The directory; it need not exist yet.</param>
public sealed class BaselineStore(string directory)
{
    /// <summary>Environment variable that names the directory.</summary>
    public const string Variable = "WORKFLOW_PERF_BASELINE";

    /// <summary>Where the directories of the machine classes lie in a repository.</summary>
    public const string DefaultParent = "fixtures/baselines";

    public string DirectoryPath => directory;

    /// <summary>Full paths of the baselines, the oldest first; empty when there is none.</summary>
    public IReadOnlyList<string> Files => Directory.Exists(directory)
        ? [.. Directory.EnumerateFiles(directory, "*.json").Select(Path.GetFullPath)
            .OrderBy(Path.GetFileName, StringComparer.Ordinal)]
        : [];

    /// <summary>
    /// The directory that the setting names, else the one of the machine class in the repository around a directory.
    /// </summary>
    /// <param name="setting">Value of <see cref="Variable"/>; null or empty when it is not set.</param>
    /// <param name="workingDirectory">Where to look for the repository; without one, it is the parent itself.</param>
    /// <param name="machineClass"><see cref="EnvironmentInfo.MachineClass"/> of the run.</param>
    /// <exception cref="FormatException">Neither the setting nor the machine class is there, or the latter is no folder
    /// name.</exception>
    public static BaselineStore For(string? setting, string workingDirectory, string? machineClass)
    {
        if (!string.IsNullOrEmpty(setting))
        {
            return new BaselineStore(setting);
        }

        if (string.IsNullOrEmpty(machineClass)
            || machineClass.Any(c => !char.IsAsciiLetterOrDigit(c) && c is not ('-' or '_')))
        {
            throw new FormatException(
                $"environment.machineClass is "
                    + $"{(machineClass is null ? "not recorded" : $"'{machineClass}', which is no folder name")}: " +
                $"name the directory of the baselines with --to or {Variable}.");
        }

        return new BaselineStore(
            Path.Combine(SourceRevision.FindRoot(workingDirectory) ?? workingDirectory, DefaultParent, machineClass));
    }

    /// <summary>
    /// The baselines that a run of that machine class is set beside, the oldest first; none where <see cref="For"/>
    /// names no directory.
    /// </summary>
    /// <inheritdoc cref="For"/>
    /// <exception cref="FormatException">A file is not a result; the message begins with its path.</exception>
    public static async Task<IReadOnlyList<RunResult>> ReadAsync(
        string? setting, string workingDirectory, string? machineClass,
        CancellationToken cancellationToken = default) =>
        string.IsNullOrEmpty(setting) && string.IsNullOrEmpty(machineClass)
            ? []
            : await For(setting, workingDirectory, machineClass).ReadAsync(cancellationToken).ConfigureAwait(false);

    /// <summary>The baselines, the oldest first.</summary>
    /// <exception cref="FormatException">A file is not a result; the message begins with its path.</exception>
    public async Task<IReadOnlyList<RunResult>> ReadAsync(CancellationToken cancellationToken = default)
    {
        var runs = new List<RunResult>();
        foreach (var file in Files)
        {
            runs.Add(await ResultJson.ReadFileAsync(file, cancellationToken).ConfigureAwait(false));
        }

        return runs;
    }

    /// <summary>Adds what <see cref="BaselineRules"/> keeps of a run, and returns the path.</summary>
    /// <exception cref="FormatException">The directory holds baselines of another machine class, or the run's name is
    /// no file name.</exception>
    /// <exception cref="IOException">A baseline of this name is there already; it is left as it is.</exception>
    public async Task<string> AddAsync(RunResult run, CancellationToken cancellationToken = default)
    {
        if (!BaselineRules.IsRunId(run.RunId))
        {
            throw new FormatException($"runId '{run.RunId}' is not yyyyMMddTHHmmssZ-commit and names no baseline.");
        }

        if (Files.Count > 0
            && await ResultJson.ReadFileAsync(Files[^1], cancellationToken).ConfigureAwait(false) is var newest
            && !Comparability.IsSameMachineClass(newest.Environment, run.Environment))
        {
            throw new FormatException(
                $"{directory}: holds baselines of machine class '{newest.Environment.MachineClass}', this run is of " +
                $"'{run.Environment.MachineClass}'. Name another directory with --to, or none.");
        }

        var path = Path.GetFullPath(Path.Combine(directory, run.RunId + ".json"));
        Directory.CreateDirectory(directory);
        if (File.Exists(path))
        {
            throw new IOException(
                $"{path}: exists, and baselines are never overwritten. Measure again to keep another one.");
        }

        // Created anew: should two accept at once, the second fails instead of writing over the first.
        var stream = new FileStream(path, FileMode.CreateNew, FileAccess.Write);
        await using (stream.ConfigureAwait(false))
        {
            await stream.WriteAsync(Encoding.UTF8.GetBytes(ResultJson.Write(run)), cancellationToken)
                .ConfigureAwait(false);
        }

        return path;
    }
}
