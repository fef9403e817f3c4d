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
        while (!end.IsCancellationRequested)
        {
            using var pipe = new NamedPipeServerStream(
                name, PipeDirection.In, 1, PipeTransmissionMode.Byte,
                PipeOptions.Asynchronous | PipeOptions.CurrentUserOnly);
            try
            {
                await pipe.WaitForConnectionAsync(end).ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                return;
            }

            using var reader = new StreamReader(pipe);
            while (await reader.ReadLineAsync(CancellationToken.None).ConfigureAwait(false) is { } line)
            {
                await output.WriteLineAsync(line).ConfigureAwait(false);
            }
        }
    }
}
