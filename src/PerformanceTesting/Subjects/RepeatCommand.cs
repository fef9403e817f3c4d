using LoadTesting.Core.Catalogue;
using PerformanceTesting.Backends;

namespace PerformanceTesting.Subjects;

/// <summary>The command that measures a scenario again, with what the environment asked for.</summary>
public static class RepeatCommand
{
    /// <summary>Variables that change a measurement, without paths, addresses and secrets.</summary>
    private static readonly string[] Variables =
    [
        MeasurementVariables.SizeName, MeasurementVariables.DurationName, MeasurementVariables.LoadStepName,
        MeasurementVariables.CountersName, MeasurementVariables.InjectName, MeasurementVariables.TransportName,
        MeasurementVariables.LoadEngineName, MeasurementVariables.SseClientsName, MeasurementVariables.SseDurationName,
        MeasurementVariables.SseRateName, MeasurementVariables.AdminUsersName, MeasurementVariables.AdminDelayName,
        BackendVariables.ProvisionName,
    ];

    /// <summary>A test by its whole name, for a POSIX shell at the root of the repository.</summary>
    /// <param name="project">The test project.</param>
    /// <param name="test">The test's whole display name.</param>
    /// <param name="environment">The value of a variable; null where it is not set.</param>
    public static string Of(string project, string test, Func<string, string?> environment) =>
        Of(ShellCommand.Of(["dotnet", "test", project, "--filter", "DisplayName=" + Escaped(test)]), environment);

    /// <summary>A command in the environment that it was given in.</summary>
    /// <param name="command">For a POSIX shell.</param>
    /// <param name="environment">The value of a variable; null where it is not set.</param>
    public static string Of(string command, Func<string, string?> environment)
    {
        var set = Variables.Select(name => (Name: name, Value: environment(name)))
            .Where(variable => !string.IsNullOrEmpty(variable.Value))
            .Select(variable => $"{variable.Name}={ShellCommand.Quote(variable.Value!)} ");
        return string.Concat(set) + command;
    }

    /// <summary>
    /// What a filter reads as its own is behind a backslash, what MSBuild does on the way to it is a number.
    /// </summary>
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
