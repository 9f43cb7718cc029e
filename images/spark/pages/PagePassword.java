package metal.kafka.spark;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;

/**
 * Asks whoever opens a page of Spark for a name and a password, as browsers know it (RFC 7617). Spark's
 * own filter wants a header that no browser sends by itself.
 *
 * <p>Parameter {@code file}: name:password in base64. It is read for every page, so a new password counts
 * at once; where it is missing, no page is shown.
 */
public final class PagePassword implements Filter {
    private Path file;

    @Override
    public void init(FilterConfig config) throws ServletException {
        String name = config.getInitParameter("file");
        if (name == null || name.isEmpty()) {
            throw new ServletException("spark." + PagePassword.class.getName() + ".param.file is not set");
        }
        file = Path.of(name);
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        String word = Files.readString(file, StandardCharsets.US_ASCII).strip();
        String shown = ((HttpServletRequest) request).getHeader("Authorization");
        if (!word.isEmpty() && shown != null && equal("Basic " + word, shown)) {
            chain.doFilter(request, response);
            return;
        }
        HttpServletResponse refusal = (HttpServletResponse) response;
        refusal.setHeader("WWW-Authenticate", "Basic realm=\"Spark\", charset=\"UTF-8\"");
        refusal.sendError(HttpServletResponse.SC_UNAUTHORIZED);
    }

    /** Whether both are the same, in a time that does not tell how much of them is. */
    private static boolean equal(String wanted, String shown) {
        return MessageDigest.isEqual(
                wanted.getBytes(StandardCharsets.ISO_8859_1), shown.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Override
    public void destroy() {}
}
