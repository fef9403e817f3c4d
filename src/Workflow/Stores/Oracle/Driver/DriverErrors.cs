using System.Data.Common;
using System.Text.RegularExpressions;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Stores.Oracle.Driver;

/// <summary>
/// What an error of the server, the network or the driver means. Numbers are those of the Database Error Messages reference.
/// </summary>
internal static partial class DriverErrors
{
    /// <summary>The first ORA number of the error or of what caused it; null when it has none.</summary>
    public static int? Code(Exception error)
    {
        for (var e = error; e is not null; e = e.InnerException)
        {
            if (Number().Match(e.Message) is { Success: true } match)
            {
                return int.Parse(match.Groups[1].ValueSpan, CultureInfo.InvariantCulture);
            }
        }

        return null;
    }

    public static bool IsDriverError(Exception error) =>
        error is DbException or TimeoutException or IOException or System.Net.Sockets.SocketException;

    /// <summary>
    /// Whether the server or the way to it is at fault, not the statement: the session ended (28, 1012, 2396, 2399, 3113, 3114, 3135,
    /// 3136), the call was given up (1013), the server starts, stops or is out of sessions, space or memory, the network failed (12150 to
    /// 12699), or the driver's pool did (50000).
    /// </summary>
    public static bool IsUnavailable(Exception error) => Code(error) switch
    {
        18 or 20 or 28 or 257 or 1012 or 1013 or 1014 or 1033 or 1034 or 1041 or 1089 or 1090 or 1092 or 1109 => true,
        1536 or 1628 or 1650 or 1652 or 1653 or 1654 or 1658 or 1659 or 1688 or 1691 or 1692 or 1693 or 1694 => true,
        2391 or 2396 or 2399 or 3113 or 3114 or 3135 or 3136 or 4030 or 4031 or 19502 or 19504 or 19505 or 19809 or 30036 => true,
        >= 12150 and <= 12699 => true,
        >= 50000 and <= 50999 => true,
        null => error is not DbException || error.InnerException is IOException or System.Net.Sockets.SocketException or TimeoutException,
        _ => false,
    };

    /// <summary>Whether a session that was good has ended, so that another one may be.</summary>
    public static bool IsLostSession(Exception error) => Code(error) switch
    {
        28 or 1012 or 1041 or 1089 or 1092 or 2396 or 2399 or 3113 or 3114 or 3135 or 12537 or 12547 or 12570 or 12571 or 12583 or 12592 =>
            true,
        null => error is not DbException || error.InnerException is IOException or System.Net.Sockets.SocketException,
        _ => false,
    };

    /// <summary>The first line of the message; those after it tell where in the PL/SQL it was raised.</summary>
    public static string Text(Exception error)
    {
        var message = error.Message.AsSpan();
        var end = message.IndexOfAny('\r', '\n');
        return (end < 0 ? message : message[..end]).TrimEnd().ToString();
    }

    /// <summary>Names server and user, and what to look at; never the password.</summary>
    public static StoreUnavailableException ToUnavailable(Exception error, OracleTarget target)
    {
        var notification = Code(error) switch
        {
            1005 or 1017 or 28000 or 28001 => "Check User Id and Password, and that the account is open.",
            12514 or 12505 or 12516 => "The listener knows no such service: check the part after the slash of Data Source.",
            1045 or 1031 or 1950 =>
                "Grant the user what README.md of Stores/Oracle lists: CREATE SESSION, CREATE TABLE, UNLIMITED TABLESPACE.",
            6550 or 24010 or 201 => "Grant the user EXECUTE on DBMS_AQ and DBMS_AQADM where advanced queueing is used.",
            12541 or 12545 or 12543 or 12170 or 12154 => "Check that the server runs and that host and port of Data Source are right.",
            >= 12150 and <= 12699 => "Check that the server runs and that Data Source is right.",
            18 or 20 => "The server has no session left: raise PROCESSES, or close others.",
            null => "Check that the server runs and that Data Source is right.",
            _ => "See the server's alert log.",
        };
        return new($"{target}: {Text(error)} {notification}", outcomeUnknown: false, error);
    }

    [GeneratedRegex(@"\bORA-(\d{5})\b")]
    private static partial Regex Number();
}
