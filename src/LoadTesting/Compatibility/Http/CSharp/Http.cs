using System.Net.Http.Headers;
using LoadTesting.Contracts;

namespace LoadTesting.Http.CSharp;

/// <summary>
/// Sends HTTP requests and makes a response of the answer: its status as the code, headers and bodies both ways as the size.
/// </summary>
public static class Http
{
    public static JsonSerializerOptions GlobalJsonSerializerOptions { get; set; } = JsonSerializerOptions.Default;

    public static HttpRequestMessage CreateRequest(string method, string url) =>
        new(new HttpMethod(method), new Uri(url, UriKind.RelativeOrAbsolute));

    public static Task<Response<HttpResponseMessage>> Send(HttpClient client, HttpRequestMessage request) =>
        Send(client, HttpClientArgs.Create(), request);

    public static async Task<Response<HttpResponseMessage>> Send(HttpClient client, HttpClientArgs clientArgs, HttpRequestMessage request)
    {
        var response = await ExchangeAsync(client, clientArgs, request).ConfigureAwait(false);
        return ResponseOf(request, response, new Option<HttpResponseMessage>(response));
    }

    /// <summary>Reads the body of an answer that is a success as JSON.</summary>
    public static Task<Response<HttpResponse<T>>> Send<T>(HttpClient client, HttpRequestMessage request) =>
        Send<T>(client, HttpClientArgs.Create(), request);

    /// <inheritdoc cref="Send{T}(HttpClient, HttpRequestMessage)"/>
    public static async Task<Response<HttpResponse<T>>> Send<T>(HttpClient client, HttpClientArgs clientArgs, HttpRequestMessage request)
    {
        var response = await ExchangeAsync(client, clientArgs, request).ConfigureAwait(false);
        if (!response.IsSuccessStatusCode)
        {
            return ResponseOf<HttpResponse<T>>(request, response, null);
        }

        var body = await response.Content.ReadAsStreamAsync(clientArgs.CancellationToken).ConfigureAwait(false);
        var data = await JsonSerializer.DeserializeAsync<T>(
            body, clientArgs.JsonSerializerOptions ?? GlobalJsonSerializerOptions, clientArgs.CancellationToken).ConfigureAwait(false);
        return ResponseOf(request, response, new Option<HttpResponse<T>>(new HttpResponse<T>(data, response)));
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
    public static HttpRequestMessage WithJsonBody<T>(this HttpRequestMessage req, T data, JsonSerializerOptions options = null)
    {
        var content = new ByteArrayContent(JsonSerializer.SerializeToUtf8Bytes(data, options ?? GlobalJsonSerializerOptions));
        content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
        req.Content = content;
        req.Headers.TryAddWithoutValidation("Accept", "application/json");
        return req;
    }

    private static async Task<HttpResponseMessage> ExchangeAsync(HttpClient client, HttpClientArgs args, HttpRequestMessage request)
    {
        ArgumentNullException.ThrowIfNull(client);
        ArgumentNullException.ThrowIfNull(args);
        ArgumentNullException.ThrowIfNull(request);
        if (args.Logger is { } requestLogger)
        {
            requestLogger.Debug(
                "HTTP request {TraceId}: {Method} {RequestUri} HTTP/{HttpVersion} {Headers} {Content}", args.TraceId, request.Method,
                request.RequestUri, request.Version, Text(request.Headers), await TextAsync(request.Content, args).ConfigureAwait(false));
        }

        var response = await client.SendAsync(request, args.HttpCompletion, args.CancellationToken).ConfigureAwait(false);
        if (args.Logger is { } responseLogger)
        {
            responseLogger.Debug(
                "HTTP response {TraceId}: HTTP/{HttpVersion} {StatusCode} {ReasonPhrase} {Headers} {Content}", args.TraceId,
                response.Version, response.StatusCode, response.ReasonPhrase, Text(response.Headers),
                await TextAsync(response.Content, args).ConfigureAwait(false));
        }

        return response;
    }

    private static Response<T> ResponseOf<T>(HttpRequestMessage request, HttpResponseMessage response, Option<T> payload) => new(
        response.StatusCode.ToString(), !response.IsSuccessStatusCode,
        SizeOf(request.Headers, request.Content) + SizeOf(response.Headers, response.Content), "", payload);

    private static long SizeOf(HttpHeaders headers, HttpContent content)
    {
        var size = content?.Headers.ContentLength ?? 0;
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
