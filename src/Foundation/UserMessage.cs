using System.Text.RegularExpressions;

namespace Foundation;

/// <summary>
/// Describes an error for a user: the present value and what to change, instead of the runtime's message.
/// </summary>
public static partial class UserMessage
{
    /// <summary>The longest name that file systems accept, in bytes.</summary>
    private const int LongestName = 255;

    /// <param name="path">The file or directory of the failed call; null if the runtime's message names it.</param>
    public static string Of(Exception exception, string? path = null) => exception switch
    {
        JsonException json => OfJson(json),
        ArgumentException when path?.Contains('\0', StringComparison.Ordinal) == true =>
            $"{path.Replace("\0", "\\u0000", StringComparison.Ordinal)}: has the character U+0000, which no path has. "
                + "Take it out.",
        UnauthorizedAccessException or IOException when (path ?? QuotedPath(exception)) is { } named =>
            OfFile(exception, named),
        ArgumentException { ParamName: not null } => exception.Message.Split(" (Parameter '")[0],
        _ => exception.Message,
    };

    private static string? QuotedPath(Exception exception) =>
        Quoted().Match(exception.Message) is { Success: true } match ? match.Groups[1].Value : null;

    private static string OfFile(Exception exception, string path)
    {
        var full = Path.GetFullPath(path);
        if (Directory.Exists(full))
        {
            return $"{path}: is a directory. Name a file.";
        }

        if (FileAbove(full) is { } file)
        {
            return $"{path}: '{file}' is a file and holds no directory. Name another.";
        }

        if (full.Split(Path.DirectorySeparatorChar)
            .FirstOrDefault(part => Encoding.UTF8.GetByteCount(part) > LongestName) is { } tooLong)
        {
            return $"{path[..Math.Min(path.Length, 40)]}...: a name in it has {Encoding.UTF8.GetByteCount(tooLong)} "
                + $"bytes, and a file system takes {LongestName}. Shorten it.";
        }

        return exception switch
        {
            UnauthorizedAccessException => $"{path}: this user may not read or write it. Change its permissions, or "
                + "name another.",
            FileNotFoundException or DirectoryNotFoundException when Quoted().IsMatch(exception.Message) =>
                $"{path}: there is no such file or directory. Name another.",
            _ when File.Exists(full) && exception.Message.Contains("already exists", StringComparison.Ordinal) =>
                $"{path}: is a file. Name a directory.",
            _ => exception.Message,
        };
    }

    private static string? FileAbove(string full)
    {
        for (var above = Path.GetDirectoryName(full); above is not null; above = Path.GetDirectoryName(above))
        {
            if (File.Exists(above))
            {
                return above;
            }
        }

        return null;
    }

    private static string OfJson(JsonException exception)
    {
        var reason = JsonReason.Of(exception);
        if (exception.LineNumber is not { } line)
        {
            return reason;
        }

        var member = exception.Path is { Length: > 1 } path ? $"{path}, " : "";
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{member}line {line + 1}, byte {exception.BytePositionInLine + 1}: {reason}");
    }

    [GeneratedRegex("'([^']*[/\\\\][^']*)'")]
    private static partial Regex Quoted();
}
