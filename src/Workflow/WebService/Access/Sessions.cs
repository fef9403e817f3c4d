using System.Buffers.Text;
using System.Security.Cryptography;
using System.Text;
using Workflow.WebService.Configuration;
using Workflow.WebService.Problems;

namespace Workflow.WebService.Access;

/// <summary>
/// Who has signed in with a browser. A session is a random number in a cookie that no script and no other site's page gets: it says nothing
/// about the key, ends with the service at the latest, and is kept as a hash alone.
/// </summary>
internal sealed class Sessions(TimeProvider timeProvider)
{
    public static readonly TimeSpan Lifetime = TimeSpan.FromHours(12);

    /// <summary>Only who has a key can begin one; past this number the oldest ends.</summary>
    public const int Most = 1_000;

    private readonly Lock _gate = new();
    private readonly Dictionary<string, (AccessLevel Level, DateTimeOffset Until)> _sessions = new(StringComparer.Ordinal);

    public void Begin(HttpContext context, AccessLevel level)
    {
        End(context);
        var id = Base64Url.EncodeToString(RandomNumberGenerator.GetBytes(32));
        var now = timeProvider.GetUtcNow();
        lock (_gate)
        {
            foreach (var over in _sessions.Where(session => session.Value.Until <= now).Select(session => session.Key).ToList())
            {
                _sessions.Remove(over);
            }

            if (_sessions.Count >= Most)
            {
                _sessions.Remove(_sessions.MinBy(session => session.Value.Until).Key);
            }

            _sessions.Add(Hash(id), (level, now + Lifetime));
        }

        context.Response.Cookies.Append(CookieName(context), id, Options(context, Lifetime));
    }

    public AccessLevel LevelOf(HttpContext context)
    {
        if (context.Request.Cookies[CookieName(context)] is not { Length: > 0 and < 100 } id)
        {
            return AccessLevel.None;
        }

        lock (_gate)
        {
            return _sessions.TryGetValue(Hash(id), out var session) && session.Until > timeProvider.GetUtcNow()
                ? session.Level
                : AccessLevel.None;
        }
    }

    public void End(HttpContext context)
    {
        if (context.Request.Cookies[CookieName(context)] is { Length: > 0 and < 100 } id)
        {
            lock (_gate)
            {
                _sessions.Remove(Hash(id));
            }

            context.Response.Cookies.Append(CookieName(context), "", Options(context, TimeSpan.Zero));
        }
    }

    /// <summary>Cookies of one host are the same on all of its ports, and there may be a service on several.</summary>
    private static string CookieName(HttpContext context) => $"workflow-session-{context.Connection.LocalPort}";

    private static CookieOptions Options(HttpContext context, TimeSpan age) => new()
    {
        HttpOnly = true, SameSite = SameSiteMode.Strict, Secure = context.Request.IsHttps, Path = "/", MaxAge = age,
    };

    private static string Hash(string id) => Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(id)));
}

/// <summary>Requests that a browser sends on behalf of a page of somebody else.</summary>
internal static class ForeignPages
{
    /// <summary>A form of this service's own pages is sent from them. Every browser of late says where a form was.</summary>
    /// <exception cref="ProblemException">It was sent from elsewhere, or nothing says from where.</exception>
    public static void Refuse(HttpRequest request)
    {
        var site = request.Headers["Sec-Fetch-Site"].ToString();
        var origin = request.Headers.Origin.ToString();
        var own = site.Length > 0
            ? site == "same-origin"
            : Uri.TryCreate(origin, UriKind.Absolute, out var from)
                && from.Authority.Equals(request.Host.Value, StringComparison.OrdinalIgnoreCase);
        if (!own)
        {
            throw new ProblemException(new Problem(StatusCodes.Status403Forbidden, "foreign-page",
                $"The form was sent from {(origin.Length > 0 ? $"'{origin}'" : "an unknown page")}, and the service is '{request.Host}'. "
                + "Use the forms of /ui; programs use the API."));
        }
    }

    /// <summary>
    /// Where no key is asked for, a name that somebody else points to this machine would make their page one of this service's own. Nobody
    /// points an address, or localhost, elsewhere.
    /// </summary>
    /// <exception cref="ProblemException">The service is called by another name.</exception>
    public static void RefuseNames(HttpRequest request)
    {
        var host = request.Host.Host;
        if (!host.Equals("localhost", StringComparison.OrdinalIgnoreCase)
            && !host.EndsWith(".localhost", StringComparison.OrdinalIgnoreCase) && !System.Net.IPAddress.TryParse(host, out _))
        {
            throw new ProblemException(new Problem(StatusCodes.Status403Forbidden, "foreign-name",
                $"The service was called '{host}', and asks for no keys. Call it by its address or as localhost, or set Access:Keys."));
        }
    }
}
