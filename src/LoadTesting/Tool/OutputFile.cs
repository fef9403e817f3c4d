namespace LoadTesting.Tool;

/// <summary>Files that are replaced whole.</summary>
internal static class OutputFile
{
    /// <summary>Reports the files that were written; null stands for an option that was not given.</summary>
    public static async Task ReportAsync(ToolConsole console, params string?[] files)
    {
        foreach (var file in files.OfType<string>())
        {
            await console.Out.WriteLineAsync($"Written: {file}").ConfigureAwait(false);
        }
    }

    /// <summary>Writes a file if its option was given.</summary>
    /// <inheritdoc cref="WriteAsync(string, string, IEnumerable{string}, CancellationToken)"/>
    public static Task WriteAsync(
        string? path, Func<string> render, IEnumerable<string> inputs, CancellationToken cancellationToken) =>
        path is null ? Task.CompletedTask : WriteAsync(path, render(), inputs, cancellationToken);

    /// <summary>Writes text in UTF-8; the directory is made when it is missing.</summary>
    /// <param name="inputs">Files that were read and must not be written over.</param>
    /// <exception cref="FormatException">The path is a directory, or one of the inputs.</exception>
    public static async Task WriteAsync(
        string path, string text, IEnumerable<string> inputs, CancellationToken cancellationToken)
    {
        var full = Path.GetFullPath(path);
        if (Directory.Exists(full))
        {
            throw new FormatException($"{path}: is a directory. Name the file to write.");
        }

        if (inputs.Any(input => Path.GetFullPath(input) == full))
        {
            throw new FormatException(
                $"{path}: is an input of this command and is not overwritten. Name another file.");
        }

        Directory.CreateDirectory(Path.GetDirectoryName(full)!);
        var temporary = full + ".tmp";
        var encoding = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);
        await File.WriteAllTextAsync(temporary, text, encoding, cancellationToken).ConfigureAwait(false);
        File.Move(temporary, full, overwrite: true);
    }
}
