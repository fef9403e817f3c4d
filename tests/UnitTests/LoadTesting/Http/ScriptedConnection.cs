using System.Net.Sockets;

namespace UnitTests.LoadTesting.Http;

internal sealed class ScriptedConnection(TcpClient client, CancellationToken stop) : IDisposable
{
    private readonly NetworkStream _stream = client.GetStream();

    public CancellationToken Stop => stop;

    /// <summary>Head and body of the next request as one text; null if the client closed the connection.</summary>
    public async Task<string?> ReadRequestAsync()
    {
        if (await ReadHeadAsync() is not { } head)
        {
            return null;
        }

        var length =
            head.Split("\r\n").FirstOrDefault(line => line.StartsWith("Content-Length: ", StringComparison.Ordinal));
        var body =
            new byte[length is null ? 0 : int.Parse(length["Content-Length: ".Length..], CultureInfo.InvariantCulture)];
        await _stream.ReadExactlyAsync(body, stop);
        return head + Encoding.Latin1.GetString(body);
    }

    /// <summary>Reads a head and a body of so many bytes, slowly at first, and reports the body's length.</summary>
    public async Task SkipAsync(int bodyLength, Action<long> report)
    {
        await ReadHeadAsync();
        await Task.Delay(100, stop);
        var buffer = new byte[64 << 10];
        var total = 0L;
        while (total < bodyLength)
        {
            var read = await _stream.ReadAsync(buffer, stop);
            total += read;
            if (read == 0)
            {
                break;
            }
        }

        report(total);
    }

    public async Task SendAsync(string text)
    {
        await _stream.WriteAsync(Encoding.Latin1.GetBytes(text), stop);
        await _stream.FlushAsync(stop);
    }

    /// <summary>Ends the connection with a reset instead of in order.</summary>
    public void Reset()
    {
        client.Client.LingerState = new LingerOption(true, 0);
        client.Client.Dispose();
    }

    public void Dispose() => client.Dispose();

    private async Task<string?> ReadHeadAsync()
    {
        var text = new StringBuilder();
        var one = new byte[1];
        do
        {
            if (await _stream.ReadAsync(one, stop) == 0)
            {
                return null;
            }

            text.Append((char)one[0]);
        }
        while (one[0] != '\n' || !text.ToString().EndsWith("\r\n\r\n", StringComparison.Ordinal));
        return text.ToString();
    }
}
