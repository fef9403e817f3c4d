namespace LoadTesting.Tool;

/// <summary>Where the tool writes.</summary>
/// <param name="Out">What was asked for.</param>
/// <param name="Error">What went wrong.</param>
/// <param name="IsStyled">Whether <paramref name="Out"/> takes colour and ruled tables; else plain text.</param>
internal sealed record ToolConsole(TextWriter Out, TextWriter Error, bool IsStyled)
{
    public static ToolConsole OfProcess() =>
        new(Console.Out, Console.Error, MayStyle(Console.IsOutputRedirected, Environment.GetEnvironmentVariable));

    /// <summary>A terminal that nobody has asked to be plain: https://no-color.org, and <c>TERM=dumb</c>.</summary>
    public static bool MayStyle(bool isRedirected, Func<string, string?> variable) =>
        !isRedirected && string.IsNullOrEmpty(variable("NO_COLOR")) && variable("TERM") != "dumb";
}
