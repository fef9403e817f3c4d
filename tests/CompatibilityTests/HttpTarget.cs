using System.IO.Compression;
using System.Net.WebSockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace CompatibilityTests;

/// <summary>A small web service on a free port.</summary>
internal sealed class HttpTarget : IAsyncDisposable
{
    public const int BodyBytes = 10_018;

    private static readonly byte[] s_body =
        Encoding.UTF8.GetBytes($"{{\"Name\":\"{new string('a', BodyBytes - 11)}\"}}");

    private WebApplication? _app;

    public string Address => _app!.Urls.Single();
    public ConcurrentBag<string> Updated { get; } = [];

    public static async Task<HttpTarget> StartAsync()
    {
        var target = new HttpTarget();
        target._app = await LocalServer.StartAsync(target.Map);
        return target;
    }

    public ValueTask DisposeAsync() => _app!.DisposeAsync();

    private void Map(WebApplication app)
    {
        app.MapGet("/users/{id:int}",
            (int id) => Results.Content($$"""{"id":{{id}},"name":"user {{id}}"}""", "application/json"));
        app.MapPost("/users", (HttpContext context) =>
        {
            context.Response.Headers["x-served-by"] = "target";
            return Results.StatusCode(201);
        });
        app.MapPut("/users/{id:int}", async (HttpContext context) =>
        {
            Updated.Add(await new StreamReader(context.Request.Body).ReadToEndAsync());
            return Results.NoContent();
        });
        app.MapGet("/files/{name}",
            (string name) => Results.Text(File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "Examples", name))));
        app.MapMethods("/bodies/{coding}", ["GET", "HEAD"], AnswerAsync);
        app.UseWebSockets();
        app.Map("/echo", EchoAsync);
    }

    /// <summary>A body of <see cref="BodyBytes"/>: with its length, in chunks, or compressed.</summary>
    private static async Task AnswerAsync(string coding, HttpContext context)
    {
        if (coding == "length")
        {
            context.Response.ContentLength = s_body.Length;
        }

        if (coding is "gzip" or "br")
        {
            context.Response.Headers.ContentEncoding = coding;
        }

        if (HttpMethods.IsHead(context.Request.Method))
        {
            return;
        }

        await using Stream body = coding switch
        {
            "gzip" => new GZipStream(context.Response.Body, CompressionLevel.Fastest),
            "br" => new BrotliStream(context.Response.Body, CompressionLevel.Fastest),
            _ => new BufferedStream(context.Response.Body),
        };
        await body.WriteAsync(s_body, context.RequestAborted);
    }

    /// <summary>Sends each message back, in the pieces in which it came.</summary>
    private static async Task EchoAsync(HttpContext context)
    {
        using var socket = await context.WebSockets.AcceptWebSocketAsync();
        var buffer = new byte[10_000];
        while (await socket.ReceiveAsync(buffer.AsMemory(), context.RequestAborted) is var received)
        {
            if (received.MessageType == WebSocketMessageType.Close)
            {
                await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "", context.RequestAborted);
                return;
            }

            await socket.SendAsync(
                buffer.AsMemory(0, received.Count), received.MessageType, received.EndOfMessage,
                context.RequestAborted);
        }
    }
}
