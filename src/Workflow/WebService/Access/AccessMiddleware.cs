using Workflow.Contracts;
using Workflow.WebService.Configuration;
using Workflow.WebService.Problems;

namespace Workflow.WebService.Access;

/// <summary>
/// Asks every request but those for <c>/health</c> for a key, where the service has any. A browser that has signed in
/// may read everything with its session, and act by the forms of <see cref="Pages"/> alone. Where there are no keys,
/// pages of other sites get nothing by a browser of this machine.
/// </summary>
internal sealed class AccessMiddleware(RequestDelegate next, ServiceSettings settings, Sessions sessions)
{
    /// <summary>The path of the pages for people.</summary>
    public const string Pages = "/ui";

    /// <summary>The path of requests between nodes, which use a node key.</summary>
    public const string Nodes = "/internal";

    /// <summary>Probes, which show nothing, and requests between nodes.</summary>
    private static readonly string[] Unguarded = ["/health", Nodes];

    /// <summary>Also what is needed to sign in and out: none of it has data of the engine.</summary>
    private static readonly string[] Open =
        [.. Unguarded, "/ui/sign-in", "/ui/sign-out", "/ui/style.css", "/ui/icon.svg"];

    private readonly AccessKeys _keys = settings.AccessKeys;

    public Task InvokeAsync(HttpContext context)
    {
        var headers = context.Response.Headers;
        headers.XContentTypeOptions = "nosniff";
        headers.ContentSecurityPolicy = "default-src 'none'; frame-ancestors 'none'";
        var path = context.Request.Path;
        if (Array.Exists(
            _keys.AreRequired ? Open : Unguarded,
            open => path.StartsWithSegments(open, StringComparison.OrdinalIgnoreCase)))
        {
            return next(context);
        }

        return _keys.AreRequired ? CheckAsync(context) : GuardAsync(context);
    }

    private static bool Reads(HttpRequest request) =>
        HttpMethods.IsGet(request.Method) || HttpMethods.IsHead(request.Method);

    private Task GuardAsync(HttpContext context)
    {
        ForeignPages.RefuseNames(context.Request);
        if (!Reads(context.Request) && ForeignPages.IsOfPage(context.Request))
        {
            ForeignPages.Refuse(context.Request);
        }

        return next(context);
    }

    private Task CheckAsync(HttpContext context)
    {
        var request = context.Request;
        var reads = Reads(request);
        var isPage = request.Path.StartsWithSegments(Pages, StringComparison.OrdinalIgnoreCase);
        var level = AccessLevel.None;
        if (request.Headers[ContractsHttp.KeyHeader] is [{ } key])
        {
            level = _keys.LevelOf(key);
        }
        else if (reads || isPage)
        {
            level = sessions.LevelOf(context);
        }

        if (level == AccessLevel.None)
        {
            context.Response.Headers.WWWAuthenticate = $"ApiKey header=\"{ContractsHttp.KeyHeader}\"";
            throw new ProblemException(new Problem(StatusCodes.Status401Unauthorized, "key-required",
                "The request has no valid key. Send one of the service's keys (Access:Keys) in the header "
                    + $"{ContractsHttp.KeyHeader}."));
        }

        if (level == AccessLevel.Read && !reads)
        {
            throw new ProblemException(new Problem(StatusCodes.Status403Forbidden, "key-read-only",
                $"The key allows GET and HEAD, and the request is {request.Method} {request.Path}. Use a full key."));
        }

        if (isPage)
        {
            context.Features.Set(level == AccessLevel.Read ? AccessGrant.Read : AccessGrant.Full);
        }

        return next(context);
    }
}
