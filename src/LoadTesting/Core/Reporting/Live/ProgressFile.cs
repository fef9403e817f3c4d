using Foundation;

namespace LoadTesting.Core.Reporting.Live;

/// <summary>
/// <c>run.progress</c> in a run's directory: the progress of the run, replaced once a second, and how the run ended.
/// <c>wfperf watch</c> reads it.
/// </summary>
/// <param name="directory">The run's directory.</param>
public sealed class ProgressFile(string directory) : IProgressOutput
{
    public const string FileName = "run.progress";

    // The file holds results.
    private static readonly JsonSerializerOptions Json = ResultJson.CreateOptions(JsonUnmappedMemberHandling.Skip);

    private readonly string _path = Path.Combine(directory, FileName);

    public void Show(RunProgressSnapshot run)
    {
        var temporary = Path.Combine(directory, $".{FileName}.tmp");
        File.WriteAllText(temporary, JsonSerializer.Serialize(run, Json) + "\n",
            new UTF8Encoding(encoderShouldEmitUTF8Identifier: false));
        File.Move(temporary, _path, overwrite: true);
    }

    public void Dispose()
    {
        // The file stays, because it says how the run ended.
    }

    /// <summary>Finds the progress file that a path refers to.</summary>
    /// <param name="path">The file, a run's directory, or a results directory: then the most recently updated run in
    /// it.</param>
    /// <exception cref="FormatException">There is no such file; the message says what to name.</exception>
    public static string Find(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        if (File.Exists(path) && Path.GetFileName(path) == FileName)
        {
            return path;
        }

        if (File.Exists(path) && File.Exists(Path.Combine(Path.GetDirectoryName(Path.GetFullPath(path))!, FileName)))
        {
            return Path.Combine(Path.GetDirectoryName(Path.GetFullPath(path))!, FileName);
        }

        if (!Directory.Exists(path))
        {
            throw new FormatException(
                File.Exists(path) ? TerminalText.NoProgressBeside(path) : TerminalText.NoSuchRun(path));
        }

        return File.Exists(Path.Combine(path, FileName))
            ? Path.Combine(path, FileName)
            : Directory.EnumerateDirectories(path).Select(run => Path.Combine(run, FileName)).Where(File.Exists)
                .MaxBy(File.GetLastWriteTimeUtc)
                ?? throw new FormatException(TerminalText.NoProgressIn(path));
    }

    /// <exception cref="FormatException">The file is not a progress file.</exception>
    public static async Task<RunProgressSnapshot> ReadAsync(string file, CancellationToken cancellationToken)
    {
        try
        {
            var text = await File.ReadAllTextAsync(file, cancellationToken).ConfigureAwait(false);
            return JsonSerializer.Deserialize<RunProgressSnapshot>(text, Json) is { Process: not null } run
                ? run
                : throw new FormatException(TerminalText.NotProgress(file));
        }
        catch (JsonException exception)
        {
            throw new FormatException($"{TerminalText.NotProgress(file)} {UserMessage.Of(exception)}", exception);
        }
    }
}
