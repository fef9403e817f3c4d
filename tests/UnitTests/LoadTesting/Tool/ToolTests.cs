namespace UnitTests.LoadTesting.Tool;

/// <summary>The tool as a user runs it, on files of a folder that is gone afterwards.</summary>
public abstract class ToolTests : IDisposable
{
    protected DirectoryInfo Folder { get; } = Directory.CreateTempSubdirectory("wfperf-");
    protected StringWriter Out { get; } = new();
    protected StringWriter Error { get; } = new();

    public void Dispose()
    {
        Out.Dispose();
        Error.Dispose();
        Folder.Delete(recursive: true);
        GC.SuppressFinalize(this);
    }

    protected string PathOf(string file) => Path.Combine(Folder.FullName, file);
    protected Task<string> TextAsync(string file) => File.ReadAllTextAsync(PathOf(file), Cancel);

    protected Task<int> RunAsync(params string[] arguments) => RunAsync(Cancel, arguments);

    protected Task<int> RunAsync(CancellationToken cancellationToken, params string[] arguments) =>
        CommandLine.RunAsync(arguments, new ToolConsole(Out, Error, IsStyled: false), cancellationToken);
}
