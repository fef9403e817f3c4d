namespace LoadTesting.Core.Results;

/// <summary>Files that are always either the old or the new text, never half of one.</summary>
internal static class AtomicFile
{
    private static readonly UTF8Encoding WithoutMark = new(encoderShouldEmitUTF8Identifier: false);

    /// <summary>Writes beside the file and renames over it.</summary>
    public static async Task WriteAsync(string path, string text, CancellationToken cancellationToken)
    {
        var temporary = Path.Combine(Path.GetDirectoryName(path)!, $".{Path.GetFileName(path)}.tmp");
        await File.WriteAllTextAsync(temporary, text, WithoutMark, cancellationToken).ConfigureAwait(false);
        File.Move(temporary, path, overwrite: true);
    }
}
