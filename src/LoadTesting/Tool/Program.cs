namespace LoadTesting.Tool;

internal static class Program
{
    public static Task<int> Main(string[] arguments) => CommandLine.RunAsync(arguments, ToolConsole.OfProcess());
}
