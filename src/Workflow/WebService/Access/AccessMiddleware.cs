using Workflow.WebService.Configuration;
using Workflow.WebService.Problems;

namespace Workflow.WebService.Access;

/// <summary>Asks every request but those for <c>/health</c> for a key, where the service has any.</summary>
internal sealed class AccessMiddleware(RequestDelegate next, ServiceSettings settings)
{
    public const string KeyHeader = "X-Api-Key";

    private readonly AccessKeys _keys = settings.AccessKeys;

    public Task InvokeAsync(HttpContext context)
    {
        var headers = context.Response.Headers;
        headers.XContentTypeOptions = "nosniff";
        headers.ContentSecurityPolicy = "default-src 'none'; frame-ancestors 'none'";
        return _keys.AreRequired && !context.Request.Path.StartsWithSegments("/health", StringComparison.OrdinalIgnoreCase)
            ? CheckAsync(context)
            : next(context);
    }

    private Task CheckAsync(HttpContext context)
    {
        var request = context.Request;
        var level = request.Headers[KeyHeader] is [{ } key] ? _keys.LevelOf(key) : AccessLevel.None;
        if (level == AccessLevel.None)
        {
            context.Response.Headers.WWWAuthenticate = $"ApiKey header=\"{KeyHeader}\"";
            throw new ProblemException(new Problem(StatusCodes.Status401Unauthorized, "key-required",
                $"The request has no valid key. Send one of the service's keys (Access:Keys) in the header {KeyHeader}."));
        }

        if (level == AccessLevel.Read && !HttpMethods.IsGet(request.Method) && !HttpMethods.IsHead(request.Method))
        {
            throw new ProblemException(new Problem(StatusCodes.Status403Forbidden, "key-read-only",
                $"The key allows GET and HEAD, and the request is {request.Method} {request.Path}. Use a full key."));
        }

        return next(context);
    }
}
