using LoadTesting.Core.Reporting.Live;

namespace LoadTesting.Tool;

/// <param name="Out">Takes the output.</param>
/// <param name="Error">Takes the errors.</param>
/// <param name="IsStyled">Whether <paramref name="Out"/> takes colour and ruled tables; else plain text.</param>
/// <param name="Progress">Shows the progress of a run; null without a display.</param>
internal sealed record ToolConsole(TextWriter Out, TextWriter Error, bool IsStyled, IProgressOutput? Progress = null)
{
    /// <summary>Takes escape sequences too.</summary>
    public TextWriter Terminal { get; } = Out;

    public TextWriter Out { get; } = new VisibleWriter(Out);

    public TextWriter Error { get; } = new VisibleWriter(Error);

    public static ToolConsole OfProcess()
    {
        var isTerminal = !Console.IsOutputRedirected && Environment.GetEnvironmentVariable("TERM") != "dumb";
        var isStyled = MayStyle(Console.IsOutputRedirected, Environment.GetEnvironmentVariable);
        return new(Console.Out, Console.Error, isStyled, isTerminal
            ? new ProgressTable(Console.Out, () => Console.WindowWidth, isStyled)
            : new ProgressLines(Console.Out.WriteLine));
    }

    /// <summary>
    /// Whether output may have colour: a terminal without <c>NO_COLOR</c> (https://no-color.org) and <c>TERM=dumb</c>.
    /// </summary>
    public static bool MayStyle(bool isRedirected, Func<string, string?> variable) =>
        !isRedirected && string.IsNullOrEmpty(variable("NO_COLOR")) && variable("TERM") != "dumb";
}
