using System.Net.Http.Headers;
using System.Net.Sockets;
using Foundation;
using Workflow.Abstractions;
using Workflow.Abstractions.Activities;
using Workflow.Abstractions.Exceptions;

namespace Workflow.WebService.Activities;

/// <summary>
/// <c>http</c>: sends a request. Input <c>{ method?, url, body? }</c> (GET without a body, POST with one, by default);
/// result <c>{ status, body }</c>, the body as JSON where the answer says that it is, else as text. Every status is a
/// result; only no answer is an error.
/// </summary>
internal sealed class HttpActivity(HttpClient client)
{
    public const string Name = "http";

    /// <summary>For a whole exchange.</summary>
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(30);

    private const long MaxResponseBytes = 1 << 20;
    private const int MaxRedirects = 5;

    /// <param name="allow">The hosts that may be called; see <see cref="HttpTargets"/>.</param>
    public static Activity Create(IReadOnlyList<string> allow)
    {
        var handler = new SocketsHttpHandler
        {
            PooledConnectionLifetime = TimeSpan.FromMinutes(5),
            ConnectTimeout = TimeSpan.FromSeconds(10),
            MaxAutomaticRedirections = MaxRedirects,
            UseProxy = false, // A proxy of the environment would connect in our place, unchecked.
            UseCookies = false, // One instance's cookies are not the next one's.
            ConnectCallback = new HttpTargets(allow).ConnectAsync,
        };
        var activity = new HttpActivity(
            new HttpClient(handler) { Timeout = Timeout, MaxResponseContentBufferSize = MaxResponseBytes });
        return new Activity { Name = Name, InvokeAsync = activity.InvokeAsync };
    }

    private async ValueTask<Value> InvokeAsync(Value input, CancellationToken cancellationToken)
    {
        using var request = ToRequest(input);
        try
        {
            using var response = await client.SendAsync(request, cancellationToken);
            return await ToResultAsync(response, cancellationToken);
        }
        catch (TaskCanceledException e) when (!cancellationToken.IsCancellationRequested)
        {
            throw new HttpRequestException(
                $"{request.Method} {request.RequestUri} did not answer within {Timeout.TotalSeconds} s.", e);
        }
        catch (HttpRequestException e) when (e.InnerException is NonRetryableActivityException refusal)
        {
            throw new NonRetryableActivityException(refusal.Message, e);
        }
        catch (Exception e) when (e is HttpRequestException or SocketException)
        {
            throw new HttpRequestException(
                $"{request.Method} {request.RequestUri} failed: {e.Message}", e,
                (e as HttpRequestException)?.StatusCode);
        }
    }

    private static HttpRequestMessage ToRequest(Value input)
    {
        var members = input.Kind == ValueKind.Context ? input.AsContext() : throw Invalid($"Its input is {input}.");
        var url = members.TryGetValue("url", out var u) && u.Kind == ValueKind.String
            ? u.AsString()
            : throw Invalid("Its input has no text 'url'.");
        if (!Uri.TryCreate(url, UriKind.Absolute, out var uri) || uri.Scheme is not ("http" or "https"))
        {
            throw Invalid($"'{url}' is not an absolute http or https URL.");
        }

        var hasBody = members.TryGetValue("body", out var body) && !body.IsNull;
        var usual = hasBody ? "POST" : "GET";
        var method = members.TryGetValue("method", out var m) && m.Kind == ValueKind.String ? m.AsString() : usual;
        var request = new HttpRequestMessage(ToMethod(method), uri);
        if (hasBody)
        {
            request.Content =
                new StringContent(body.ToString(), Encoding.UTF8, MediaTypeHeaderValue.Parse("application/json"));
        }

        return request;
    }

    private static HttpMethod ToMethod(string method) =>
        method.ToUpperInvariant() is "GET" or "POST" or "PUT" or "PATCH" or "DELETE" or "HEAD" or "OPTIONS"
        ? HttpMethod.Parse(method.ToUpperInvariant())
        : throw Invalid($"'{method}' is not a method. Use GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS.");

    private static async Task<Value> ToResultAsync(HttpResponseMessage response, CancellationToken cancellationToken)
    {
        var text = await response.Content.ReadAsStringAsync(cancellationToken);
        var isJson = response.Content.Headers.ContentType?.MediaType is { } type
            && (type == "application/json" || type.EndsWith("+json", StringComparison.Ordinal));
        return Value.From(new Dictionary<string, Value>(StringComparer.Ordinal)
        {
            ["status"] = Value.From((int)response.StatusCode),
            ["body"] = isJson && text.Length > 0 ? ParseBody(text, response) : Value.From(text),
        });
    }

    private static Value ParseBody(string text, HttpResponseMessage response)
    {
        try
        {
            return Value.Parse(text);
        }
        catch (JsonException e)
        {
            var what = e is NumberRangeException
                ? $"that cannot be kept: {e.Message}"
                : $"that calls itself JSON and is not: {JsonReason.Of(e)}";
            throw new HttpRequestException(
                $"{response.RequestMessage?.RequestUri} answered {(int)response.StatusCode} with a body {what}", e);
        }
    }

    private static NonRetryableActivityException Invalid(string what) =>
        new($"The activity http cannot be called: {what} It takes {{ \"method\"?, \"url\", \"body\"? }}.");
}
