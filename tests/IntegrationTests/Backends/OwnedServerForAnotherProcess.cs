using System.Globalization;
using IntegrationTests.Shared.Backends;
using Xunit;

namespace IntegrationTests.Backends;

/// <summary>Not a test of its own: a process that owns a server until it is killed, started by the test of what happens then.</summary>
public sealed class OwnedServerForAnotherProcess
{
    public const string Variable = "WORKFLOW_TEST_OWNED_SERVER_NOTE";

    [Fact(Explicit = true)]
    public async Task Holds_a_server_until_killed()
    {
        var note = Environment.GetEnvironmentVariable(Variable);
        Assert.SkipWhen(note is null, $"Started by another test, which sets {Variable}.");
        var server = await NativePostgresServer.StartAsync(PostgresBinaries.Find()!, cancellationToken: TestContext.Current.CancellationToken);
        string[] lines = [server.DirectoryPath, server.ProcessId!.Value.ToString(CultureInfo.InvariantCulture)];
        await File.WriteAllLinesAsync(note, lines, TestContext.Current.CancellationToken);
        await Task.Delay(Timeout.InfiniteTimeSpan, TestContext.Current.CancellationToken);
    }
}
