using System.Buffers.Binary;
using System.Buffers.Text;
using System.Security.Cryptography;
using Workflow.WebService.Configuration;

namespace Workflow.WebService.Access;

/// <summary>
/// Who has signed in with a browser. A session is a cookie that no script and no other site's page gets: when it ends,
/// and a signature with what is derived from the key that it began with (<see cref="AccessKey.SigningKey"/>). No node
/// keeps it, and every node that has the key takes it; it ends with its time, by signing out, and on every node from
/// which the key is removed.
/// </summary>
internal sealed class Sessions(ServiceSettings settings, TimeProvider timeProvider)
{
    public static readonly TimeSpan Lifetime = TimeSpan.FromHours(12);

    /// <summary>The number of ended sessions that are remembered; past it the oldest is forgotten.</summary>
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
        settings.AccessKeys.All.Where(key => Find(context, key) is not null).Select(key => key.Level).DefaultIfEmpty()
            .Max();

    /// <summary>Ends the session of the browser, and on this node every copy of its cookie.</summary>
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

    /// <summary>
    /// The session that began with a key, and when it ends; null where the request has none that is valid now.
    /// </summary>
    private (string Token, DateTimeOffset Until)? Find(HttpContext context, AccessKey key)
    {
        Span<byte> token = stackalloc byte[TokenBytes];
        if (context.Request.Cookies[CookieName(key)] is not { } text
            || !Base64Url.IsValid(text, out var length) || length != TokenBytes
            || Base64Url.DecodeFromChars(text, token) != TokenBytes)
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
    /// Cookies of one host are the same on all of its ports, and there may be services with other keys on them: each
    /// key has its own.
    /// </summary>
    private static string CookieName(AccessKey key) =>
        "workflow-session-" + Convert.ToHexStringLower(HMACSHA256.HashData(key.SigningKey, "cookie"u8).AsSpan(0, 4));

    private static CookieOptions Options(HttpContext context, TimeSpan age) => new()
    {
        HttpOnly = true, SameSite = SameSiteMode.Strict, Secure = context.Request.IsHttps, Path = "/", MaxAge = age,
    };
}
