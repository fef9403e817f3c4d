using System.Net.Http.Headers;
using LoadTesting.Contracts;

namespace LoadTesting.Http.CSharp;

/// <summary>
/// Sends HTTP requests and makes a response of the answer: its status as the code, headers and bodies both ways as the
/// size. Of a body that the client decompresses that is the size that was read; a client without
/// <c>AutomaticDecompression</c> counts what came over the wire.
/// </summary>
public static class Http
{
    public static JsonSerializerOptions GlobalJsonSerializerOptions { get; set; } = JsonSerializerOptions.Default;

    public static HttpRequestMessage CreateRequest(string method, string url) =>
        new(new HttpMethod(method), new Uri(url, UriKind.RelativeOrAbsolute));

    public static Task<Response<HttpResponseMessage>> Send(HttpClient client, HttpRequestMessage request) =>
        Send(client, HttpClientArgs.Create(), request);

    public static async Task<Response<HttpResponseMessage>> Send(
        HttpClient client, HttpClientArgs clientArgs, HttpRequestMessage request)
    {
        var response = await ExchangeAsync(client, clientArgs, request).ConfigureAwait(false);
        var bodyBytes = await BodyBytesAsync(request, response, clientArgs).ConfigureAwait(false);
        return ResponseOf(request, response, bodyBytes, new Option<HttpResponseMessage>(response));
    }

    /// <summary>Reads the body of an answer that is a success as JSON.</summary>
    public static Task<Response<HttpResponse<T>>> Send<T>(HttpClient client, HttpRequestMessage request) =>
        Send<T>(client, HttpClientArgs.Create(), request);

    /// <inheritdoc cref="Send{T}(HttpClient, HttpRequestMessage)"/>
    public static async Task<Response<HttpResponse<T>>> Send<T>(
        HttpClient client, HttpClientArgs clientArgs, HttpRequestMessage request)
    {
        var response = await ExchangeAsync(client, clientArgs, request).ConfigureAwait(false);
        if (!response.IsSuccessStatusCode)
        {
            var bodyBytes = await BodyBytesAsync(request, response, clientArgs).ConfigureAwait(false);
            return ResponseOf<HttpResponse<T>>(request, response, bodyBytes, null);
        }

        var body = new CountingStream(
            await response.Content.ReadAsStreamAsync(clientArgs.CancellationToken).ConfigureAwait(false));
        var data = await JsonSerializer.DeserializeAsync<T>(
            body, clientArgs.JsonSerializerOptions ?? GlobalJsonSerializerOptions,
            clientArgs.CancellationToken).ConfigureAwait(false);
        return ResponseOf(
            request, response, body.Bytes, new Option<HttpResponse<T>>(new HttpResponse<T>(data, response)));
    }

    public static HttpRequestMessage WithHeader(this HttpRequestMessage req, string name, string value)
    {
        req.Headers.TryAddWithoutValidation(name, value);
        return req;
    }

    /// <param name="req">The request.</param>
    /// <param name="version">Such as "2.0".</param>
    public static HttpRequestMessage WithVersion(this HttpRequestMessage req, string version)
    {
        req.Version = Version.Parse(version);
        return req;
    }

    public static HttpRequestMessage WithBody(this HttpRequestMessage req, HttpContent body)
    {
        req.Content = body;
        return req;
    }

    /// <summary>The data as JSON, with its content type and an Accept header.</summary>
    public static HttpRequestMessage WithJsonBody<T>(
        this HttpRequestMessage req, T data, JsonSerializerOptions options = null)
    {
        var content =
            new ByteArrayContent(JsonSerializer.SerializeToUtf8Bytes(data, options ?? GlobalJsonSerializerOptions));
        content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
        req.Content = content;
        req.Headers.TryAddWithoutValidation("Accept", "application/json");
        return req;
    }

    private static async Task<HttpResponseMessage> ExchangeAsync(
        HttpClient client, HttpClientArgs args, HttpRequestMessage request)
    {
        ArgumentNullException.ThrowIfNull(client);
        ArgumentNullException.ThrowIfNull(args);
        ArgumentNullException.ThrowIfNull(request);
        if (args.Logger is { } requestLogger)
        {
            requestLogger.Debug(
                "HTTP request {TraceId}: {Method} {RequestUri} HTTP/{HttpVersion} {Headers} {Content}", args.TraceId,
                request.Method,
                request.RequestUri, request.Version, Text(request.Headers),
                await TextAsync(request.Content, args).ConfigureAwait(false));
        }

        var response = await client.SendAsync(request, args.HttpCompletion, args.CancellationToken)
            .ConfigureAwait(false);
        if (args.Logger is { } responseLogger)
        {
            responseLogger.Debug(
                "HTTP response {TraceId}: HTTP/{HttpVersion} {StatusCode} {ReasonPhrase} {Headers} {Content}",
                args.TraceId,
                response.Version, response.StatusCode, response.ReasonPhrase, Text(response.Headers),
                await TextAsync(response.Content, args).ConfigureAwait(false));
        }

        return response;
    }

    /// <summary>
    /// The body as it was read, decompressed where the client does that. Where reading it is left to the caller it is
    /// as long as the answer says.
    /// </summary>
    private static async Task<long> BodyBytesAsync(
        HttpRequestMessage request, HttpResponseMessage response, HttpClientArgs args)
    {
        // The answer to HEAD says how long a body would be.
        if (request.Method == HttpMethod.Head)
        {
            return 0;
        }

        if (args.HttpCompletion == HttpCompletionOption.ResponseHeadersRead)
        {
            return response.Content.Headers.ContentLength ?? 0;
        }

        var body = await response.Content.ReadAsStreamAsync(args.CancellationToken).ConfigureAwait(false);
        return body.CanSeek ? body.Length : 0;
    }

    private static Response<T> ResponseOf<T>(
        HttpRequestMessage request, HttpResponseMessage response, long bodyBytes, Option<T> payload) => new(
        response.StatusCode.ToString(), !response.IsSuccessStatusCode,
        (request.Content?.Headers.ContentLength ?? 0) + SizeOf(request.Headers) + bodyBytes + SizeOf(response.Headers),
        "", payload);

    private static long SizeOf(HttpHeaders headers)
    {
        var size = 0L;
        foreach (var header in headers.NonValidated)
        {
            size += header.Key.Length;
            foreach (var value in header.Value)
            {
                size += value.Length;
            }
        }

        return size;
    }

    private static string Text(HttpHeaders headers) =>
        string.Join(", ", headers.Select(header => $"{header.Key}: {string.Join(", ", header.Value)}"));

    private static Task<string> TextAsync(HttpContent content, HttpClientArgs args) =>
        content?.ReadAsStringAsync(args.CancellationToken) ?? Task.FromResult("");
}
