using LoadTesting.Tool.Doctor;
using Spectre.Console;

namespace LoadTesting.Tool;

/// <summary><c>wfperf doctor</c>: whether this machine is fit to measure on.</summary>
internal static class DoctorCommand
{
    /// <summary>
    /// A server in a container takes seconds to start, and looking for a missing image takes up to twenty.
    /// </summary>
    private static readonly TimeSpan ProfileTimeout = TimeSpan.FromMinutes(3);

    public static Command Create(ToolConsole console)
    {
        var command = new Command(
            "doctor",
            "Checks SDK, cores, PostgreSQL, Docker, limits, clock, disk and every profile, each finding with its fix; "
                + "exit code 1 when one fails.");
        var suite = new Option<string>(
            "--suite") { Description = "Test assembly whose profiles are listed; by default the newest built "
            + "under tests/PerformanceTests here." };
        command.Add(suite);
        command.SetAction(async (parsed, cancellationToken) =>
        {
            var lines =
                await Examination.RunAsync(Environment.GetEnvironmentVariable, cancellationToken).ConfigureAwait(false);
            var profiles = await Profiles.LookAsync(parsed.GetValue(suite), ProfileTimeout, cancellationToken)
                .ConfigureAwait(false);
            return Write(console, [.. lines, .. profiles]);
        });
        return command;
    }

    /// <summary>Writes the findings and returns the exit code.</summary>
    internal static int Write(ToolConsole console, IReadOnlyList<DoctorLine> lines)
    {
        var terminal = console.IsStyled
            ? AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(console.Terminal) }) : null;
        var width = lines.Max(line => line.Check.Length);
        foreach (var line in lines)
        {
            Write(console, terminal, line, width);
        }

        var failures = lines.Count(line => line.State == DoctorState.Failure);
        var warnings = lines.Count(line => line.State == DoctorState.Warning);
        console.Out.WriteLine(failures > 0
            ? $"Not fit to measure: {failures} failed, {Quantity.Of(warnings, "warning")}."
            : warnings > 0 ? $"Fit to measure, with {Quantity.Of(warnings, "warning")}." : "Fit to measure.");
        return failures > 0 ? ExitCode.Findings : ExitCode.Success;
    }

    private static void Write(ToolConsole console, IAnsiConsole? terminal, DoctorLine line, int width)
    {
        var (word, colour) = line.State switch
        {
            DoctorState.Ok => ("ok  ", "green"),
            DoctorState.Warning => ("warn", "yellow"),
            _ => ("FAIL", "red"),
        };
        if (terminal is null)
        {
            console.Out.Write(word);
        }
        else
        {
            terminal.Markup($"[{colour}]{word}[/]");
        }

        console.Out.WriteLine($"  {line.Check.PadRight(width)}  {line.Found}");
        if (line.Fix is not null)
        {
            console.Out.WriteLine($"      {"".PadRight(width)}  -> {line.Fix}");
        }
    }
}
