using System.IO.Pipes;

namespace PerformanceTesting.TestLogger;

/// <summary>Prints the lines that test processes write to a pipe.</summary>
internal static class LinePipe
{
    /// <summary>Copies the lines of one test process after the other.</summary>
    /// <param name="name">Name of the pipe.</param>
    /// <param name="output">Takes the lines.</param>
    /// <param name="end">
    /// No test process connects any more. Lines of the one that has connected are still copied.
    /// </param>
    public static async Task CopyAsync(string name, TextWriter output, CancellationToken end)
    {
        var next = Create(name);
        while (true)
        {
            try
            {
                await next.WaitForConnectionAsync(end).ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                await next.DisposeAsync().ConfigureAwait(false);
                return;
            }

            // A process that starts while this one ends finds a pipe: it would lose its lines otherwise.
            using var connected = next;
            next = Create(name);
            await CopyLinesAsync(connected, output).ConfigureAwait(false);
        }
    }

    private static NamedPipeServerStream Create(string name) => new(
        name, PipeDirection.In, NamedPipeServerStream.MaxAllowedServerInstances, PipeTransmissionMode.Byte,
        PipeOptions.Asynchronous | PipeOptions.CurrentUserOnly);

    private static async Task CopyLinesAsync(Stream pipe, TextWriter output)
    {
        using var reader = new StreamReader(pipe);
        while (await reader.ReadLineAsync(CancellationToken.None).ConfigureAwait(false) is { } line)
        {
            await output.WriteLineAsync(line).ConfigureAwait(false);
        }
    }
}
