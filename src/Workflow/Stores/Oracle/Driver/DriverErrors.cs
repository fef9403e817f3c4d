using System.Data.Common;
using System.Text.RegularExpressions;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Stores.Oracle.Driver;

/// <summary>
/// What an error of the server, the network or the driver means. Numbers are those of the Database Error Messages
/// reference.
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
    /// Whether the content is to blame: a value that is missing, too long, no number or no instant (1400 to 1489, 1722,
    /// 1830 to 1899, 6502, 12899, 22835), a constraint (2290 to 2292), or JSON (40400 to 40699). Every other number is
    /// the server's, or that of the way to it.
    /// </summary>
    public static bool IsRefusal(Exception error) => Code(error) switch
    {
        1400 or 1401 or 1407 or 1426 or 1438 or 1461 or 1465 or 1489 or 1722 or (>= 1830 and <= 1899) => true,
        2290 or 2291 or 2292 or 6502 or 12899 or 22835 or (>= 40400 and <= 40699) => true,
        _ => false,
    };

    /// <summary>Whether a session that was good has ended, so that another one may be.</summary>
    public static bool IsLostSession(Exception error) => Code(error) switch
    {
        28 or 1012 or 1041 or 1089 or 1092 or 2396 or 2399 or 3113 or 3114 or 3135 or 12537 or 12547 or 12570 or 12571
            or 12583 or 12592 =>
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
            12514 or 12505 or 12516 =>
                "The listener knows no such service: check the part after the slash of Data Source.",
            1045 or 1031 or 1950 =>
                "Grant the user what README.md of Stores/Oracle lists: CREATE SESSION, CREATE TABLE, UNLIMITED "
                    + "TABLESPACE.",
            6550 or 24010 or 201 => "Grant the user EXECUTE on DBMS_AQ and DBMS_AQADM where advanced queueing is used.",
            12541 or 12545 or 12543 or 12170 or 12154 =>
                "Check that the server runs and that host and port of Data Source are right.",
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
