using PerformanceTesting.Backends;

namespace PerformanceTesting.Subjects;

/// <summary>The command that measures a scenario again: the test by its whole name, with what the environment asked for.</summary>
public static class RepeatCommand
{
    /// <summary>What changes a measurement and is no place, no address and no secret.</summary>
    private static readonly string[] Variables =
    [
        MeasurementVariables.SizeName, MeasurementVariables.DurationName, MeasurementVariables.LoadStepName,
        MeasurementVariables.CountersName, MeasurementVariables.InjectName, MeasurementVariables.TransportName,
        MeasurementVariables.LoadEngineName, MeasurementVariables.SseClientsName, MeasurementVariables.SseDurationName,
        MeasurementVariables.SseRateName, MeasurementVariables.AdminUsersName, MeasurementVariables.AdminDelayName,
        BackendVariables.ProvisionName,
    ];

    /// <summary>For a POSIX shell at the root of the repository.</summary>
    /// <param name="project">The test project.</param>
    /// <param name="test">The test's whole display name.</param>
    /// <param name="environment">The value of a variable; null where it is not set.</param>
    public static string Of(string project, string test, Func<string, string?> environment)
    {
        var set = Variables.Select(name => (Name: name, Value: environment(name)))
            .Where(variable => !string.IsNullOrEmpty(variable.Value))
            .Select(variable => $"{variable.Name}={Quoted(variable.Value!)} ");
        return $"{string.Concat(set)}dotnet test {project} --filter {Quoted("DisplayName=" + Escaped(test))}";
    }

    private static string Quoted(string text) =>
        text.All(letter => char.IsAsciiLetterOrDigit(letter) || "._:/+-".Contains(letter, StringComparison.Ordinal))
            ? text
            : "'" + text.Replace("'", @"'\''", StringComparison.Ordinal) + "'";

    /// <summary>What a filter reads as its own is behind a backslash, what MSBuild does on the way to it is a number.</summary>
    private static string Escaped(string test)
    {
        var text = new StringBuilder();
        foreach (var letter in test)
        {
            _ = letter switch
            {
                '\\' or '(' or ')' or '&' or '|' or '=' or '!' or '~' => text.Append('\\').Append(letter),
                '"' or '%' or ';' => text.Append(CultureInfo.InvariantCulture, $"%{(int)letter:X2}"),
                _ => text.Append(letter),
            };
        }

        return text.ToString();
    }
}
