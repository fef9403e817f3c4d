using System.Buffers.Binary;
using System.Buffers.Text;
using System.Security.Cryptography;
using Workflow.WebService.Configuration;
using Workflow.WebService.Problems;

namespace Workflow.WebService.Access;

/// <summary>
/// Who has signed in with a browser. A session is a cookie that no script and no other site's page gets: when it ends, and a signature with
/// what is derived from the key that it began with (<see cref="AccessKey.SigningKey"/>). No node keeps it, and every node that has the key
/// takes it; it ends with its time, by signing out, and on every node from which the key is removed.
/// </summary>
internal sealed class Sessions(ServiceSettings settings, TimeProvider timeProvider)
{
    public static readonly TimeSpan Lifetime = TimeSpan.FromHours(12);

    /// <summary>Only who has a session can sign out; past this number the oldest is forgotten.</summary>
    public const int MostEnded = 10_000;

    // When it ends, Unix seconds; 16 random bytes, so that no two are alike; HMAC-SHA256 of both.
    private const int TimeBytes = sizeof(long);
    private const int PayloadBytes = TimeBytes + 16;
    private const int TokenBytes = PayloadBytes + HMACSHA256.HashSizeInBytes;

    private readonly Lock _gate = new();
    private readonly Dictionary<string, DateTimeOffset> _ended = new(StringComparer.Ordinal);

    public void Begin(HttpContext context, AccessKey key)
    {
        End(context);
        var token = new byte[TokenBytes];
        BinaryPrimitives.WriteInt64BigEndian(token, (timeProvider.GetUtcNow() + Lifetime).ToUnixTimeSeconds());
        RandomNumberGenerator.Fill(token.AsSpan(TimeBytes, PayloadBytes - TimeBytes));
        HMACSHA256.HashData(key.SigningKey, token.AsSpan(0, PayloadBytes), token.AsSpan(PayloadBytes));
        context.Response.Cookies.Append(CookieName(key), Base64Url.EncodeToString(token), Options(context, Lifetime));
    }

    public AccessLevel LevelOf(HttpContext context) =>
        settings.AccessKeys.All.Where(key => Find(context, key) is not null).Select(key => key.Level).DefaultIfEmpty().Max();

    /// <summary>Ends what the browser has, and on this node whatever copy of it somebody else has.</summary>
    public void End(HttpContext context)
    {
        foreach (var key in settings.AccessKeys.All)
        {
            if (Find(context, key) is var (token, until))
            {
                lock (_gate)
                {
                    Forget();
                    _ended[token] = until;
                }
            }

            if (context.Request.Cookies.ContainsKey(CookieName(key)))
            {
                context.Response.Cookies.Append(CookieName(key), "", Options(context, TimeSpan.Zero));
            }
        }
    }

    /// <summary>The session that began with a key, and when it ends; null where the request has none that is valid now.</summary>
    private (string Token, DateTimeOffset Until)? Find(HttpContext context, AccessKey key)
    {
        Span<byte> token = stackalloc byte[TokenBytes];
        if (context.Request.Cookies[CookieName(key)] is not { } text
            || !Base64Url.IsValid(text, out var length) || length != TokenBytes || Base64Url.DecodeFromChars(text, token) != TokenBytes)
        {
            return null;
        }

        Span<byte> signature = stackalloc byte[HMACSHA256.HashSizeInBytes];
        HMACSHA256.HashData(key.SigningKey, token[..PayloadBytes], signature);
        if (!CryptographicOperations.FixedTimeEquals(signature, token[PayloadBytes..]))
        {
            return null;
        }

        // The text may be written in several ways; its bytes may not.
        var (id, until) = (Convert.ToHexString(token[..PayloadBytes]), DateTimeOffset.FromUnixTimeSeconds(
            BinaryPrimitives.ReadInt64BigEndian(token)));
        lock (_gate)
        {
            return until > timeProvider.GetUtcNow() && !_ended.ContainsKey(id) ? (id, until) : null;
        }
    }

    private void Forget()
    {
        var now = timeProvider.GetUtcNow();
        foreach (var over in _ended.Where(session => session.Value <= now).Select(session => session.Key).ToList())
        {
            _ended.Remove(over);
        }

        if (_ended.Count >= MostEnded)
        {
            _ended.Remove(_ended.MinBy(session => session.Value).Key);
        }
    }

    /// <summary>
    /// Cookies of one host are the same on all of its ports, and there may be services with other keys on them: each key has its own.
    /// </summary>
    private static string CookieName(AccessKey key) =>
        "workflow-session-" + Convert.ToHexStringLower(HMACSHA256.HashData(key.SigningKey, "cookie"u8).AsSpan(0, 4));

    private static CookieOptions Options(HttpContext context, TimeSpan age) => new()
    {
        HttpOnly = true, SameSite = SameSiteMode.Strict, Secure = context.Request.IsHttps, Path = "/", MaxAge = age,
    };
}

/// <summary>Requests that a browser sends on behalf of a page of somebody else.</summary>
internal static class ForeignPages
{
    /// <summary>Whether a browser says that a page has sent it; a program says nothing of the kind.</summary>
    public static bool IsOfPage(HttpRequest request) =>
        request.Headers.ContainsKey("Sec-Fetch-Site") || request.Headers.ContainsKey("Origin");

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
                $"A page sent this from {(origin.Length > 0 ? $"'{origin}'" : "an unknown place")}, and the service is '{request.Host}'. "
                + "Use the forms of /ui; programs use the API, without the headers Origin and Sec-Fetch-Site."));
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
