namespace LoadTesting.Core.Catalogue;

/// <summary>Commands that a person pastes into a POSIX shell.</summary>
public static class ShellCommand
{
    private const string Plain = "._:/+-";

    /// <summary>Joins the words of a command, each quoted if the shell requires it.</summary>
    public static string Of(IEnumerable<string> words) => string.Join(' ', words.Select(Quote));

    /// <summary>Quotes one word if the shell requires it.</summary>
    public static string Quote(string word)
    {
        ArgumentNullException.ThrowIfNull(word);
        return word.Length > 0
            && word.All(letter => char.IsAsciiLetterOrDigit(letter) || Plain.Contains(letter, StringComparison.Ordinal))
            ? word
            : "'" + word.Replace("'", @"'\''", StringComparison.Ordinal) + "'";
    }
}
